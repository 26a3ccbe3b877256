"""Tools for agents: the memory's operations as function definitions for a model, and the call that carries them out.

The definitions come from one table and the signatures of `AsyncWiki`, filtered by what an agent may do (`scopes`) and
where (`namespaces`). What a tool gives back is data to be read by a model, never an instruction to it.
"""

from lorelite.tools.definitions import Scope, Tool, tool_definitions
from lorelite.tools.dispatch import dispatch_tool, tool_text
from lorelite.tools.formats import to_anthropic, to_gemini, to_openai

__all__ = [
    "Scope",
    "Tool",
    "dispatch_tool",
    "to_anthropic",
    "to_gemini",
    "to_openai",
    "tool_definitions",
    "tool_text",
]
