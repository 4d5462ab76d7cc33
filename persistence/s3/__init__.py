"""Blobs in S3; imported only when the AWS store is chosen."""
