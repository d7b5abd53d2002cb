"""How oclide.distributed deals with workers that die, on a stand-in for Ray; test_distributed.py has the real one."""

import types

import oclide
import oclide.distributed as distributed
import pytest


class ActorError(Exception):
    pass


class Reference:
    """A call: made when it is asked for, after those before it of its actor."""

    def __init__(self, actor, arguments):
        self.actor, self.arguments = actor, arguments
        self.state, self.value = "sent", None


class StandIn:
    """As much of Ray as a _Crew uses. Results that an actor has not handed over when it dies are lost, those of its
    last `late` calls, as they can be with Ray."""

    exceptions = types.SimpleNamespace(RayActorError=ActorError, ObjectLostError=type("Lost", (Exception,), {}),
                                       RayTaskError=type("TaskError", (Exception,), {}))

    def __init__(self, late):
        self.late = late
        self.made = 0

    def is_initialized(self):
        return True

    def cluster_resources(self):
        return {}

    def remote(self, kind):
        return types.SimpleNamespace(options=lambda **_: types.SimpleNamespace(remote=lambda *a: self.actor(kind(*a))))

    def actor(self, worker):
        self.made += 1
        actor = types.SimpleNamespace(calls=[], dead=False)

        def call(*arguments):
            actor.calls.append(Reference(actor, arguments))
            return actor.calls[-1]

        actor.worker, actor.run = worker, types.SimpleNamespace(remote=call)
        return actor

    def kill(self, actor):
        actor.dead = True

    def wait(self, references, num_returns, timeout):
        return [r for r in references if r.state == "done"], []

    def get(self, reference):
        actor = reference.actor
        for k, call in enumerate(actor.calls):
            if actor.dead:
                break
            if call.state == "sent":
                try:
                    call.value, call.state = actor.worker.run(*call.arguments), "done"
                except ActorError:
                    actor.dead = True
                    for lost in actor.calls[max(0, k - self.late):k]:
                        lost.state = "lost"
        if reference.state != "done":
            raise ActorError
        return reference.value


class Worker:
    """Doubles numbers; dies at those that `deaths` has, as often as that says."""

    def __init__(self, deaths):
        self.deaths = deaths

    def run(self, number):
        if self.deaths.get(number, 0) > 0:
            self.deaths[number] -= 1
            raise ActorError
        return 2 * number


@pytest.mark.parametrize("late", [0, 1, 3])
@pytest.mark.parametrize("workers, window", [(1, 1), (1, 4), (3, 2)])
def test_parts_that_kill_are_given_up_and_no_others(monkeypatch, workers, window, late):
    ray = StandIn(late)
    monkeypatch.setattr(distributed, "_ray", lambda: ray)
    deaths = {2: 99, 5: 1, 6: 1, 9: 99}
    found = []
    with distributed._Crew(Worker, [(deaths,)] * workers, None, 2) as crew:
        for k, job in distributed._in_order(crew, [(k,) for k in range(12)], lambda k, _: f"part {k}", window):
            try:
                found.append(crew.result(job))
            except distributed.WorkersDied as error:
                found.append(str(error))
        assert not any(crew._jobs)
    assert found == [2 * k if k not in (2, 9) else f"part {k}: 2 workers died at it" for k in range(12)]
    assert ray.made <= workers + 8, "a part that kills takes three workers at most, one that did once takes one or two"


def test_tries_are_at_least_one(monkeypatch):
    monkeypatch.setattr(distributed, "_ray", lambda: StandIn(0))
    with pytest.raises(oclide.InvalidInputError, match="tries must be at least 1, but is 0"):
        distributed._Crew(Worker, [({},)], None, 0)
