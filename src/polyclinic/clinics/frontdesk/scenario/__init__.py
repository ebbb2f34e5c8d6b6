"""What a hospital campaign starts from: schema, config, diseases, synthesis, loaders."""
