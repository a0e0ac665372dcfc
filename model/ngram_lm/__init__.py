"""An n-gram language model of a large corpus: what usually comes next after the last few tokens."""
