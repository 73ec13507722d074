// The table of methods, in the order in which they are listed.
#include "solve/solver_run.h"

const dls_method *const dls_methods[] = {
    &dls_method_auto,        &dls_method_gauss_seidel, &dls_method_nsgs_anderson,
    &dls_method_newton,      &dls_method_newton_fb,    &dls_method_proximal,
    &dls_method_interior,    &dls_method_smoothing,    &dls_method_cvx_interior,
    &dls_method_cvx_apgd,    &dls_method_admm,         &dls_method_extragradient,
    &dls_method_coloured_gs, &dls_method_pyramid,
};

const int dls_method_count = (int)(sizeof dls_methods / sizeof *dls_methods);
