"""Friction and restitution of a real cube from its tosses, by a scan on all cores.

    python3 fit_tosses.py [tosses.h5 [TOSSES]]

The data: 114 tosses of ContactNets, a row every 1/148 s: position, quaternion, velocity, angular
velocity, lengths in half edges. Each motion begins at a row in flight and is compared with the rows
behind it. Without the data, or h5py, a toss of known numbers is made and fitted.
"""

import concurrent.futures
import os
import pathlib
import sys

import numpy as np

import delassus as dls

CUBE = """# A cube of edge 2 above the ground
parameter mu = 0.18, e = 0.125
gravity 0, 0, -187.2137
body cube { box 2, 2, 2; mass 0.37; inertia 0.2950003, 0.2950003, 0.2950003 }
fixed ground { plane 0, 0, 1 }
contact * * { friction mu; restitution e }
"""
PERIOD = 1 / 148


def data(path):
    """The tosses of a file: arrays with 13 columns."""
    import h5py

    with h5py.File(path, "r") as file:
        return [np.array(file[name]) for name in sorted(file)]


def motion(model, row, rows):
    """Positions at the rows after this one."""
    run = model.simulate(step=PERIOD / 4, until=(rows - 1) * PERIOD * (1 - 1e-9), every=4, at=(row[:7], row[7:13]))
    return run.q.array[:, :3]


def error(model, toss, begin):
    """Mean distance in widths of the cube."""
    part = toss[begin:]
    there = motion(model, part[0], len(part))
    count = min(len(there), len(part))
    return float(np.linalg.norm(there[:count] - part[:count, :3], axis=1).mean() / 2)


def scan(model, tosses, frictions, restitutions):
    """The error of each pair, over all tosses."""
    pairs = [(mu, e) for mu in frictions for e in restitutions]

    def one(pair):
        own = model.copy()
        own["mu"], own["e"] = pair
        return float(np.mean([error(own, toss, 2) for toss in tosses]))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(pairs, pool.map(one, pairs)))


def made_up(model):
    """A toss of known friction and restitution."""
    row = np.array([0, 0, 4, 0.9, 0.3, 0.2, 0.1, 8, 3, -5, 4, -6, 3.0])
    row[3:7] /= np.linalg.norm(row[3:7])
    run = model.simulate(step=PERIOD / 4, until=60 * PERIOD, every=4, at=(row[:7], row[7:]))
    return [np.hstack([run.q.array, run.v.array])]


def main():
    model = dls.Model.parse(CUBE, "cube")
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tosses.h5")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    try:
        tosses = data(path)[:count]
        frictions, restitutions = np.linspace(0.05, 0.35, 7), np.linspace(0, 0.3, 4)
    except (ImportError, OSError) as reason:
        print(f"{reason}; a made-up toss instead, of friction 0.18 and restitution 0.125")
        tosses, frictions, restitutions = made_up(model), (0.1, 0.18, 0.3), (0, 0.125, 0.25)
    errors = scan(model, tosses, frictions, restitutions)
    best = min(errors, key=errors.get)
    print(f"{len(tosses)} tosses: friction {best[0]:.3g}, restitution {best[1]:.3g}, mean error {errors[best]:.3g} widths")


if __name__ == "__main__":
    main()
