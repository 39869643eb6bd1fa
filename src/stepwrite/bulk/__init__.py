"""Files larger than memory: chunks of rows, inflected in order by several processes or machines."""
