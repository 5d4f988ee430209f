package perfstudies.aaa.glassfish;

import java.util.Map;
import perfstudies.aaa.launch.Commands;
import perfstudies.aaa.launch.Container;
import perfstudies.launch.Launcher;

/** The program: {@code serve --config FILE.properties}, see {@link Launcher}; its commands are {@link Commands}. */
public final class Main {

    /**
     * The application's name of the database is the server's, which would otherwise hand out a database of its own; and
     * the application's classes are its own at each deployment, although the launcher has some of them too.
     */
    private static final String DESCRIPTOR = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE glassfish-web-app PUBLIC "-//GlassFish.org//DTD GlassFish Application Server 3.1 Servlet 3.0//EN"
                "http://glassfish.org/dtds/glassfish-web-app_3_0-1.dtd">
            <glassfish-web-app>
              <resource-ref>
                <res-ref-name>%1$s</res-ref-name>
                <jndi-name>%1$s</jndi-name>
              </resource-ref>
              <class-loader delegate="false"/>
            </glassfish-web-app>
            """.formatted(Container.DATA_SOURCE);

    private Main() {
    }

    public static void main(String[] arguments) {
        Logs.quiet();
        Launcher.run("aaa-glassfish", arguments,
                new Commands(new GlassFishContainer(), Map.of("glassfish-web.xml", DESCRIPTOR)));
    }
}
