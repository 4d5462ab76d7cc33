"""Tables, history and lease in DynamoDB; imported only when the AWS store is chosen."""
