"""AAA, an authorization server in an EJB container: declared, measured, read and analysed."""
