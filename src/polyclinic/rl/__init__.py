"""Any clinic's role as an environment for reinforcement learning: reset, step with text, reward.

::

    from polyclinic.rl import RoleEnvironment

    async with RoleEnvironment("rounds", "tutor", scenarios="train", metric="reward") as room:
        seen = await room.reset(0)
        while not seen.done:
            seen = await room.step(my_model(seen.messages))
        print(seen.reward)

`trl_environment` gives the same in the form that TRL's trainers need, `verifiers_environment` in the form for
verifiers.
"""

from polyclinic.rl.adapters import ThreadedEnvironment, tasks, trl_environment, verifiers_environment
from polyclinic.rl.environment import Observation, RoleEnvironment

__all__ = [
    "Observation",
    "RoleEnvironment",
    "ThreadedEnvironment",
    "tasks",
    "trl_environment",
    "verifiers_environment",
]
