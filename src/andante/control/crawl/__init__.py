"""The planned crawl: a walk plan carried out with touch-down detection, reflexes and recovery."""
