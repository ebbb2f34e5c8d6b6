"""Queues: first come, first served, with several servers; and what theory says about the simplest of them.

The desk is such a queue, and so is a clinic without appointments. Where arrivals are Poisson and services exponential,
the mean wait has a closed form (Erlang C). `polyclinic eval frontdesk-queue` compares the simulation with it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from heapq import heapify, heapreplace


def waits(arrivals: Iterable[tuple[float, float]], servers: int) -> Iterator[float]:
    """The wait of each customer, given as (arrival, service time), in order of arrival."""
    free = [-math.inf] * servers
    heapify(free)
    for arrival, service in arrivals:
        begins = max(arrival, free[0])
        heapreplace(free, begins + service)
        yield begins - arrival


def erlang_c(load: float, servers: int) -> float:
    """The probability of having to wait (Erlang C).

    The load is arrival rate × mean service time, and must be below the number of servers.
    """
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def mean_wait(rate: float, service: float, servers: int) -> float:
    """The mean wait of an M/M/c queue in its steady state; infinite when the queue has no steady state."""
    load = rate * service
    return erlang_c(load, servers) * service / (servers - load) if load < servers else math.inf


def simulated_wait(rate: float, service: float, servers: int, count: int, draw: random.Random) -> float:
    """The mean wait of this many simulated customers of an M/M/c queue.

    One fifth as many customers come before them to warm the queue up; they are not counted.
    """
    warm, clock, total = count // 5, 0.0, 0.0
    customers = []
    for _ in range(warm + count):
        clock += draw.expovariate(rate)
        customers.append((clock, draw.expovariate(1 / service)))
    for number, wait in enumerate(waits(customers, servers)):
        total += wait if number >= warm else 0.0
    return total / count
