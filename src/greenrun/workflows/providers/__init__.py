"""Who answers when a node asks for a model: configured services, made-up answers, or a recording of earlier calls."""
