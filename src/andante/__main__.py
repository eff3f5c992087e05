"""``python -m andante``: the `andante` command where its script is not on the path."""

from andante.cli.app import main

if __name__ == "__main__":
    main()
