// The system: descriptors, files, threads, programs, and what the kernel says of errors.
