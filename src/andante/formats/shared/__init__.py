"""What the codecs of teams' motion files share: text to trees, numbers, marks, and motions as lists of steps."""
