"""A run's log and folder: written tick by tick, read anew, replayed."""
