/**
 * The policy repository with an entity bean of EJB 2.1, as the study's time knew it: an interface, a home and an abstract
 * class, whose fields the container keeps in the database. Declared in {@code META-INF/ejb21.ejb-jar.xml}, which only a
 * container that has such beans is told to read.
 */
package perfstudies.aaa.entity21;
