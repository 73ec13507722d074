"""A tutorial: when does a ladder slip, and is its contact problem well posed?"""

import pathlib

import delassus as dls

ladder = dls.Model(pathlib.Path(__file__).resolve().parent.parent / "ladder.dls")

# At rest against the wall: do wall and floor hold it? Answers carry their reason and a witness.
report = ladder.check("leaning")
print("can all contacts stick?", report.can_all_stick.answer, "-", report.can_all_stick.by)
print("least friction for it:", round(report["friction"]["least_for_sticking"]["value"], 6))

# Every claim can be checked again, by code that shares nothing with what made it.
print("verified:", bool(report.verify()))

# With more friction it stays. What is required raises an exception where it does not hold.
ladder["mu"] = 0.9
ladder.check("leaning").require("can_all_stick", "acceleration_exists")

# How much friction is enough, over the angle of the ladder? Points are spread over all cores.
grid = ladder.map(x=("theta0", 0.2, 1.2, 11), ask="friction.least_for_sticking", at="leaning")
for angle, least in zip(grid.x, grid.values):
    print(f"theta0 = {angle:.2f}: {least:.4f}")

# That falling friction makes trouble is a result as well: how many accelerations are there?
count = ladder.map(x=("mu", 0.2, 2, 4), y=("theta0", 0.3, 1.2, 4), ask="solution_count", at="falling")
print(count.values)
