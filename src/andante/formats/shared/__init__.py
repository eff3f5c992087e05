"""What the codecs of teams' motion files share: text to trees, numbers, curves, and motions as lists of steps."""
