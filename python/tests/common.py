"""What the tests share."""

import json
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(os.environ.get("DELASSUS_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
EXAMPLES = SOURCE / "examples"
SANITIZED = "DELASSUS_ASAN" in os.environ

BLOCK = """# A block on a floor
parameter m = 2, g = 9.81, mu = 0.5, push = 0
coordinate x = 0, y = 0
kinetic   m/2*(x'^2 + y'^2)
potential m*g*y
force x = push
unilateral floor: y >= 0 { slip x'; friction mu }
output height = y
"""


def program(*words):
    """What the program says, as JSON."""
    done = subprocess.run([os.environ["DELASSUS"], *map(str, words), "--json"], capture_output=True, check=False)
    return json.loads(done.stdout)
