require "set"

module Shop
  class Stock
    attr_reader :name

    def initialize(name)
      @name = name
      @counts = Hash.new(0)
    end

    def add(item, count = 1)
      raise ArgumentError, "no #{item}" if count.zero?

      @counts[item] += count
    end

    def sorted
      @counts.sort_by { |name, count| [-count, name] }.map do |name, count|
        "#{count} x #{name}"
      end
    end
  end
end
