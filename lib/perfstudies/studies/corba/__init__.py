"""CORBA, the thread pool of an object broker: declared, measured, read and analysed."""
