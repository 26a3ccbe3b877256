"""The past of a namespace: what was held true then, what changed since, and bringing it back."""
