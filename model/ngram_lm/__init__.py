"""An n-gram language model of a large corpus: the usual tokens after the last few."""
