// From the superblock of an HDF5 file to the messages of an object.
#ifndef DLS_IO_HDF5_STRUCTURE_H
#define DLS_IO_HDF5_STRUCTURE_H

#include "io/hdf5_file.h"

// Messages of object headers that matter here.
enum {
  DLS_HDF5_DATASPACE = 0x1,
  DLS_HDF5_LINK_INFO = 0x2,
  DLS_HDF5_DATATYPE = 0x3,
  DLS_HDF5_LINK = 0x6,
  DLS_HDF5_EXTERNAL = 0x7,
  DLS_HDF5_LAYOUT = 0x8,
  DLS_HDF5_FILTERS = 0xB,
  DLS_HDF5_CONTINUED = 0x10,
  DLS_HDF5_SYMBOL_TABLE = 0x11,
};

typedef struct dls_hdf5_piece {
  const unsigned char *data;  // NULL: there is none
  size_t size;
  bool shared;  // kept elsewhere
} dls_hdf5_piece;

// The messages of one object.
typedef struct dls_hdf5_object {
  dls_hdf5_piece dataspace, datatype, layout, external, filters, symbols, links;
} dls_hdf5_object;

// Little-endian, of 1 to 8 bytes.
uint64_t dls_hdf5_value(const unsigned char *data, size_t bytes);

// Where the bytes are; NULL when they are not all in the file.
const unsigned char *dls_hdf5_bytes(const dls_hdf5 *h, uint64_t address, uint64_t count);

// Finds the superblock: fills size and root.
bool dls_hdf5_superblock(dls_hdf5 *h);

// 1 with the object's messages, 0 when it is not there, -1 after a failure.
int dls_hdf5_find(dls_hdf5 *h, const char *place, dls_hdf5_object *object);

#endif
