"""Facts, tasks and events as callers state them, who vouches for them, and what took the place of what."""
