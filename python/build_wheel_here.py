"""What pip calls to make a wheel (PEP 517): CMake builds the extension, this packs it.

DELASSUS_PREFIX names a prefix in which the library is installed, to stand on that; else the libraries
of the sources around this folder are taken into the extension. DELASSUS_BUILD names a build folder to
use; the default is build/release beside the sources.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TAG = "cp311-abi3-linux_" + os.uname().machine


def _run(*call):
    subprocess.run([str(word) for word in call], check=True, stdout=sys.stderr)


def _installed_version(prefix):
    for header in pathlib.Path(prefix).glob("**/delassus/version.h"):
        return _version(header)
    raise SystemExit(f"no delassus/version.h below {prefix}")


def _version(header=ROOT / "include/delassus/version.h"):
    text = header.read_text(encoding="utf-8")
    parts = [re.search(rf"DLS_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(parts)


def _build():
    """The folder of the package, and whether the program belongs to it."""
    prefix = os.environ.get("DELASSUS_PREFIX")
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    python = f"-DDELASSUS_PYTHON_PROGRAM={sys.executable}"
    if prefix:
        build = pathlib.Path(os.environ.get("DELASSUS_BUILD", HERE / "build"))
        _run("cmake", "-S", HERE, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_INSTALL_RPATH={prefix}/lib",
             "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON", "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", python)
    else:
        build = pathlib.Path(os.environ.get("DELASSUS_BUILD", ROOT / "build/release"))
        if not (build / "CMakeCache.txt").exists():
            _run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                 "-DDELASSUS_TESTS=OFF", python)
        else:
            _run("cmake", build)
    _run("cmake", "--build", build, "--parallel", jobs, "--target", "python")
    return build, _installed_version(prefix) if prefix else _version()


def _metadata(version):
    return ("Metadata-Version: 2.1\nName: delassus\n"
            f"Version: {version}\nSummary: The contact problem of mechanical systems\n"
            "License: Apache-2.0\nRequires-Python: >=3.11\n")


class _Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same files make the same wheel
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, folder):
        record = f"{folder}/RECORD"
        self.zip.writestr(record, "\n".join(self.record + [f"{record},,"]) + "\n")
        self.zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build, version = _build()
    name = f"delassus-{version}-{TAG}.whl"
    wheel = _Wheel(pathlib.Path(wheel_directory) / name)
    for file in sorted((build / "python/delassus").iterdir()):
        if file.is_file():
            wheel.add(f"delassus/{file.name}", file.read_bytes())
    program = build / "delassus"
    if program.exists():
        wheel.add(f"delassus-{version}.data/scripts/delassus", program.read_bytes(), 0o755)
    folder = f"delassus-{version}.dist-info"
    wheel.add(f"{folder}/METADATA", _metadata(version).encode())
    wheel.add(f"{folder}/WHEEL", f"Wheel-Version: 1.0\nGenerator: delassus\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode())
    wheel.close(folder)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("there is no source archive of the package alone: the repository has it")
