#include "body_models.h"

// Two bars in line, joined to each other and to the ground: singular, and five rows are one.
const char bars[] = "gravity 0, -9.81, 0\n"
                    "fixed ground { }\n"
                    "body a { mass 1; inertia 0.001, 0.0833, 0.0833; position 0.5, 0, 0 }\n"
                    "body b { mass 2; inertia 0.001, 0.1666, 0.1666; position 1.5, 0, 0 }\n"
                    "joint first: hinge ground, a { anchor 0, 0, 0; axis 0, 0, 1; friction 0.3 }\n"
                    "joint middle: hinge a, b { anchor 1, 0, 0; axis 0, 0, 1; range -1, 0 }\n"
                    "joint last: hinge ground, b { anchor 2, 0, 0; axis 0, 0, 1 }\n";

#define ON_THE_GROUND \
  "parameter mu = 0.5, X = 0\ngravity 0, 0, -9.81\nfixed ground { plane 0, 0, 1 }\n"
const char cube[] =
    ON_THE_GROUND "body cube { box 1, 2, 1; mass 3; position 0.3, 0, 0.5; rotation 0, 0, 0.4 }\n"
                  "contact * * { friction mu }\n"
                  "state sliding: cube.velocity = (1, 0.5, 0)\n"
                  "state hit: cube.velocity = (0, 0, -1)\n";
const char stack[] =
    ON_THE_GROUND "fixed table { box 2, 2, 1 { position 0, 0, 0.5 } }\n"
                  "body cube { box 1, 1, 1; mass 3; position 0.6, 0.7, 1.5; rotation 0, 0, 0.7 }\n"
                  "force cube = (X, 0, 0)\n"
                  "contact * * { friction mu; restitution 0.2 }\n";
const char rollers[] = ON_THE_GROUND
    "body ball { sphere 0.5; mass 1; position 0, 0, 0.5 }\n"
    "body pill { capsule 0.25, 1; mass 1; position 2, 0, 0.25; rotation pi/2, 0, 0 }\n"
    "body egg { ellipsoid 0.3, 0.4, 0.5; mass 1; position 0, 3, 0.5 }\n"
    "contact * * { friction mu }\n"
    "state rolling: ball.velocity = (1, 0, 0), ball.spin = (0, 2, 0)\n";
const char arm[] = ON_THE_GROUND
    "body upper { capsule 0.1, 1; mass 1; position 0, 0, 2 }\n"
    "body lower { capsule 0.1, 1; mass 1; position 0, 0, 0.6 }\n"
    "joint shoulder: hinge ground, upper { anchor 0, 0, 2.5; axis 0, 1, 0; range 0, 1 }\n"
    "joint elbow: hinge upper, lower { anchor 0, 0, 1.3; axis 0, 1, 0; friction 0.2 }\n"
    "contact * * { friction mu }\n"
    "force elbow = X\n";
