/**
 * The Generic AAA server's application, for any container of Jakarta EE 10 (servlets, EJB lite, persistence).
 *
 * <p>What a launcher does:
 * <ol>
 * <li>reads the file of settings ({@link perfstudies.aaa.Settings}) and sets its container by them: HTTP threads, EJB
 * pools, and a source of database connections named {@code jdbc/aaa} with transactions (the beans ask for it by
 * {@code @Resource(name = "jdbc/aaa")}, the persistence unit by {@code jta-data-source});
 * <li>names the file by the system property {@code aaa.config} ({@link perfstudies.aaa.Deployment#CONFIG});
 * <li>deploys this jar at the context {@code /AAA}, in a web archive's WEB-INF/lib or as it is. The servlet
 * {@link perfstudies.aaa.web.AaaServlet} answers at {@code /server}, must be loaded on start-up, and calls the bean
 * {@link perfstudies.aaa.engine.RuleBasedEngine}: the servlet context's attribute {@code aaa.engine} if there is one,
 * otherwise what JNDI has at {@code java:module/RuleBasedEngine};
 * <li>a container without a persistence provider leaves out the package {@code perfstudies.aaa.entity} and
 * META-INF/persistence.xml, and does without the setting repository=entity;
 * <li>asks {@link perfstudies.aaa.Statistics#ask()} for the counters, from whatever class loader.
 * </ol>
 * Tables and policies are made when the servlet starts, if the database has none. Closing is the servlet's end.
 */
package perfstudies.aaa;
