"""Which prompt is in force: one given to a call, one of the settings, or the built-in one."""

from __future__ import annotations

import warnings

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.hooks import Diagnostic
from lorelite.prompts.templates import CONTRACTS, LorelitePromptWarning, PromptName, contract_problems


def effective_prompt(engine: Engine, name: PromptName, override: str | None) -> str | None:
    """The template of the caller's that is in force for *name*: *override*, else that of the settings, else None.

    Raises InvalidOption for an override that is no text, or empty; warns of one that breaks its contract.
    """
    if override is None:
        found: str | None = getattr(engine.config.prompts, name)
        return found
    if not options.text("prompt", override).strip():
        raise InvalidOption("prompt", "the text of a prompt, or None for that of the settings", override)
    _warn(engine, name, override)
    return override


def check_prompts(engine: Engine) -> None:
    """Warn of every prompt of the settings that breaks its contract."""
    for name in CONTRACTS:
        template = effective_prompt(engine, name, None)
        if template is not None:
            _warn(engine, name, template)


def _warn(engine: Engine, name: PromptName, template: str) -> None:
    problems = contract_problems(name, template)
    if not problems:
        return
    message = f"the prompt for {name} may not work: {'; '.join(problems)}"
    warnings.warn(message, LorelitePromptWarning, stacklevel=2)
    engine.tell(
        Diagnostic(
            code="prompt_contract",
            severity="warning",
            operation=name,
            namespace="",
            message=message,
            detail={"prompt": name, "problems": problems},
            at=engine.clock(),
        )
    )
