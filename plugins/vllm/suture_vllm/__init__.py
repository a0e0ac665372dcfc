"""Constrains vLLM's output to the file around the cursor: `vllm serve MODEL --logits-processors
suture_vllm.processor:SutureLogitsProcessor`."""
