// Models of bodies in space: closed contacts of all kinds, at rest, sliding, rolling, falling.
#ifndef TEST_BODY_MODELS_H
#define TEST_BODY_MODELS_H

extern const char bars[], cube[], stack[], rollers[], arm[];

#endif
