<?php

namespace Shop;

final class Stock
{
    private array $counts = [];

    public function __construct(private string $name)
    {
    }

    public function add(string $item, int $count = 1): int
    {
        if ($count <= 0) {
            throw new \InvalidArgumentException("no $item");
        }
        $this->counts[$item] = ($this->counts[$item] ?? 0) + $count;
        return $this->counts[$item];
    }
}
