"""An environment for learning, in the style of Gymnasium and without needing it: a cart that pushes
itself along a rail between two walls, with a pole that must not touch the ground.

    environment = Cart()
    observation, info = environment.reset(seed=1)
    observation, reward, terminated, truncated, info = environment.step(action)
"""

import math
import random

import delassus as dls

CART = """# A cart on a rail between walls, with a pole
parameter M = 1, m = 0.1, l = 0.5, g = 9.81, wall = 2, motor = 0
coordinate x = 0, theta = 0                    # from the vertical
let px = x' + l*cos(theta)*theta'
let py = -l*sin(theta)*theta'
kinetic    M/2*x'^2 + m/2*(px^2 + py^2)
potential  m*g*l*cos(theta)
force x = motor
unilateral right: wall - x >= 0 { restitution 0.3 }
unilateral left:  x + wall >= 0 { restitution 0.3 }
"""


class Cart:
    """Actions: a force in [-10, 10]. Observations: x, theta and their velocities."""

    step_length = 0.02

    def __init__(self):
        self.model = dls.Model.parse(CART, "cart")
        self.stepper = None

    def reset(self, *, seed=None):
        draw = random.Random(seed)
        start = ([draw.uniform(-0.05, 0.05), draw.uniform(-0.05, 0.05)], [0.0, 0.0])
        self.stepper = self.model.stepper(step=self.step_length, at=start)
        return self._observe(), {}

    def step(self, action):
        self.stepper["motor"] = min(10.0, max(-10.0, action))
        self.stepper.step()
        observation = self._observe()
        fallen = abs(observation[1]) > math.pi / 4
        return observation, 0.0 if fallen else 1.0, fallen, self.stepper.t >= 10, {}

    def _observe(self):
        return [*self.stepper.q.array, *self.stepper.v.array]


def run(control, seed):
    environment = Cart()
    (x, theta, x_dot, theta_dot), _ = environment.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        (x, theta, x_dot, theta_dot), reward, fallen, late, _ = environment.step(control(x, theta, x_dot, theta_dot))
        total, over = total + reward, fallen or late
    return total


if __name__ == "__main__":
    idle = run(lambda *_: 0.0, seed=1)
    steered = run(lambda x, theta, x_dot, theta_dot: 2 * x + 40 * theta + 3 * x_dot + 8 * theta_dot, seed=1)
    print(f"idle: {idle:g} steps upright; steered: {steered:g}")
    assert steered > idle
