package perfstudies.flight.persistence;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.hibernate.SessionFactory;

/**
 * Stands in for an object of Hibernate's engine and times every call of it. The engine objects that it hands out are
 * wrapped in turn, so that a program that got its session factory wrapped never holds an unwrapped one.
 */
final class Wrapper implements InvocationHandler {

    private final Object target;
    private final HibernateLayers layers;

    private Wrapper(Object target, HibernateLayers layers) {
        this.target = target;
        this.layers = layers;
    }

    static SessionFactory wrap(SessionFactory factory, HibernateLayers layers) {
        return (SessionFactory) wrap(SessionFactory.class, factory, layers);
    }

    private static Object wrap(Class<?> type, Object target, HibernateLayers layers) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Wrapper(target, layers));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        layers.begin();
        try {
            Object result = method.invoke(target, arguments);
            return result == target ? proxy : wrapEngineObject(result);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            layers.end();
        }
    }

    private Object wrapEngineObject(Object result) {
        for (Class<?> type : Factories.ENGINE_TYPES) {
            if (type.isInstance(result)) {
                return wrap(type, result, layers);
            }
        }
        return result;
    }
}
