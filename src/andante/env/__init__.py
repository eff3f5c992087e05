"""The gymnasium interface: sessions as environments of learning programs."""
