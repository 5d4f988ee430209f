"""ESB, service buses, their clients and their queues: declared, measured, read and analysed."""
