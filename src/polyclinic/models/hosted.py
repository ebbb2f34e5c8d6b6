"""Hosts with their own protocol (Anthropic, Google, Bedrock …), through pydantic-ai's model classes.

Only `Model.request_stream` and `Model.request` are used, which take a list of messages and return one answer.
pydantic-ai's agent loop would cost eighty times as much and add a second set of rules. The package is imported when a
run is checked or at the first call, because importing it takes seconds.

A request comes here in the form of the OpenAI chat protocol, and the answer is read in that form too. So everything
that is known about replies and servers (`adapting`, `arriving`, `habits`, `wire`) holds for these hosts as well.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from polyclinic.core.extras import install_hint, installer
from polyclinic.core.model import Completion, Request
from polyclinic.errors import ConfigError
from polyclinic.models.adapting import AdaptingCaller, Complaint
from polyclinic.models.arriving import Reading, complaint_of
from polyclinic.models.failure import AttemptFailed, Trouble, redact, trouble_of
from polyclinic.models.guard import Deadline
from polyclinic.models.habits import AnswerForm, Habits, Known
from polyclinic.models.prices import FREE, Price
from polyclinic.models.spec import Options
from polyclinic.models.wire import RequestBody

if TYPE_CHECKING:
    from pydantic_ai.models import Model as HostModel

INSTALL = install_hint("hosted")
EXTRA_HAS = ("anthropic", "google")
BESIDES = {"azure": "openai", "bedrock": "bedrock", "cohere": "cohere", "huggingface": "huggingface"}
"""What pydantic-ai calls the package of a host that the extra does not bring."""
_PACKAGE = re.compile(r"pydantic-ai-slim\[([\w-]+)\]")
_REFUSED, _FAILED = 400, 500
_TROUBLES: dict[str, Trouble] = {
    "ModelQuotaExceededError": "refused",
    "ModelRateLimitError": "throttled",
    "ModelOverloadedError": "throttled",
    "ModelUnavailableError": "server",
    "ModelServerError": "server",
    "ModelTimeoutError": "deadline",
    "ModelRequestTimeout": "deadline",
    "ModelConnectionError": "connection",
    "ContentFilterError": "refused",
    "UnexpectedModelBehavior": "truncated",
}


class HostedCaller(AdaptingCaller):
    """One model at one host. `known` is shared by all models of that host."""

    def __init__(
        self,
        provider: str,
        model: str,
        options: Options,
        name: str,
        price: Price = FREE,
        known: Known | None = None,
        host_model: HostModel | None = None,
    ) -> None:
        super().__init__(known or Known(), model, options, name, price)
        self._id, self._given = f"{provider}:{model}", host_model
        self._host: HostModel | None = None

    def check(self) -> None:
        """Raise if a package, the key or the model is missing. It is all imported here: the first call needs it."""
        self._begin()

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt. What pydantic-ai says about the model counts until the model shows otherwise."""
        self._begin()
        return await super().attempt(request, number, deadline)

    def _begin(self) -> None:
        if self._host is None:
            self._host = self._given or self._found()
            self._known.expect(self._model, _habits_of(self._host))

    def _found(self) -> HostModel:
        try:
            found: HostModel = importlib.import_module("pydantic_ai.models").infer_model(self._id)
        except ImportError as error:
            raise ConfigError(f"cast {self.name} needs a package: {_install(self._id, error)}") from None
        except Exception as error:
            raise ConfigError(f"cast {self.name}: {redact(str(error))}") from None
        return found

    async def _send(self, body: RequestBody, reading: Reading, deadline: Deadline) -> None:
        from pydantic_ai.exceptions import AgentRunError, UserError

        from polyclinic.models.hosted_wire import ended, messages_of, new_in, parameters_of, said, settings_of

        host: Any = self._host
        settings = settings_of(body, self._options, host)
        try:
            if not body.get("stream"):
                response = await host.request(messages_of(body), settings, parameters_of(body))
                reading.take(said(response.parts))
            else:
                async with host.request_stream(messages_of(body), settings, parameters_of(body)) as stream:
                    async for event in stream:
                        deadline.heard()
                        reading.began = True
                        reading.take(said([new_in(event)]))
                        if reading.enough():
                            return
                    response = stream.get()
        except AgentRunError as error:
            raise self._complaint(error) from None
        except (UserError, NotImplementedError) as error:
            words = redact(str(error))
            raise Complaint(_REFUSED, words, ConfigError(f"{self.name}: {words}")) from None
        except RuntimeError as error:
            words = redact(str(error))
            raise Complaint(_FAILED, words, AttemptFailed(f"{self.name}: {words}", "refused")) from None
        reading.began = True
        if response.state != "complete":
            raise AttemptFailed("the stream ended before the reply did", "truncated")
        reading.take(ended(response))
        reading.enough(ended=True)

    def _complaint(self, error: Exception) -> Complaint:
        """pydantic-ai's error as ours, by the name of its class, so that a renamed class causes no crash."""
        status = int(getattr(error, "status_code", 0) or 0)
        told = getattr(error, "body", None)
        reads = isinstance(told, dict) and bool({"error", "message"} & told.keys())
        words = complaint_of(told) if reads else str(error)[:400]
        wait_s = getattr(error, "retry_after", None)
        kinds = [_TROUBLES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _TROUBLES]
        trouble = kinds[0] if kinds else trouble_of(status, words, wait_s)
        said = f"the host answered {status}: {words}" if status else words
        return Complaint(status, words, AttemptFailed(redact(f"{self.name}: {said}"), trouble, wait_s, status))


def _install(model: str, error: ImportError) -> str:
    """The command that installs a host's package. The extra has those of the usual hosts, pydantic-ai names others;
    where the extra itself is missing, one command brings both.
    """
    named = _PACKAGE.search(str(error))
    if named:
        return INSTALL if named[1] in EXTRA_HAS else f"{installer()} '{named[0]}'"
    besides = BESIDES.get(model.partition(":")[0])
    return f"{INSTALL} 'pydantic-ai-slim[{besides}]'" if besides else INSTALL


def _habits_of(host: HostModel) -> Habits:
    """What pydantic-ai knows about a model. The large hosts refuse lengths of texts in a schema."""
    profile = host.profile
    form: AnswerForm = "strict" if profile.get("supports_json_schema_output") else "words"
    return Habits(
        form=form,
        thinking="effort",
        takes_pictures=profile.get("supports_image_input", True),
        takes_tools=profile.get("supports_tools", True),
    )
