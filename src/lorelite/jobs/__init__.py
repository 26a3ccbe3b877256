"""Later upkeep: jobs that read what is there, ask a model where that helps, and write a plan in one go."""
