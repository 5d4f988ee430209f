package perfstudies.aaa.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.naming.Context;
import javax.naming.spi.InitialContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.Settings;
import perfstudies.aaa.log.Gauge;
import perfstudies.aaa.log.RequestRecord;
import perfstudies.aaa.modules.ApplicationModule;
import perfstudies.aaa.repository.PolicyRepository;
import perfstudies.aaa.repository.SessionRow;

/** An entity bean is asked as often as there are requests, but looked up by its name once, as an injected bean is. */
class EntityLookupTest {

    private static final List<String> LOOKED_UP = new ArrayList<>();

    @BeforeEach
    void nameService() {
        LOOKED_UP.clear();
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, Names.class.getName());
    }

    @AfterEach
    void noNameService() {
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"entity", "entity-2.1"})
    void anEngineLooksItsRepositoryUpOnce(String repository) throws Exception {
        Properties given = new Properties();
        given.setProperty("repository", repository);
        Deployment deployment = new Deployment(Settings.of(given, Settings.SERVER));
        ApplicationModule unused = (parameters, passed) -> null;
        RuleBasedEngine engine = new RuleBasedEngine(unused, unused, unused, unused, null);
        for (int request = 0; request < 3; request++) {
            Call call = new Call(deployment, new RequestRecord(request, null, 1));
            assertTrue(engine.decide(new AaaRequest("P", "0.1", Map.of(), ""), call).granted());
        }
        deployment.close();
        assertEquals(1, LOOKED_UP.size(), LOOKED_UP.toString());
    }

    /** A repository whose only policy grants everything. */
    private static final class Granting implements PolicyRepository {

        @Override
        public void prepare() {
            // nothing to prepare
        }

        @Override
        public String document(String type, Gauge connections) {
            return "<Policy xmlns=\"http://www.AAA.org/ns/AAA_Policy\" type=\"P\" version=\"0.1\"><Conditions/>"
                    + "<Actions/></Policy>";
        }

        @Override
        public void store(SessionRow session, Gauge connections) {
            // sessions are not kept
        }
    }

    /** A name service that has the repository under any name, and keeps the names that it was asked for. */
    public static final class Names implements InitialContextFactory {

        @Override
        public Context getInitialContext(Hashtable<?, ?> environment) {
            return (Context) Proxy.newProxyInstance(Names.class.getClassLoader(), new Class<?>[] {Context.class},
                    (context, method, arguments) -> {
                        LOOKED_UP.add(arguments[0].toString());
                        return new Granting();
                    });
        }
    }
}
