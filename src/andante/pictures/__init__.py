"""How pictures look and how they are written: one style, figures by matplotlib, images by Pillow."""
