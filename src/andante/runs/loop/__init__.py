"""One run's loop: the clock, the rates, the tick, plans beside it, and how it ends."""
