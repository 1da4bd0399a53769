"""What a program is, and how it is started: to be recorded, with a plan, or under DynamoRIO."""
