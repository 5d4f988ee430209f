package perfstudies.orb.server;

import java.lang.reflect.Field;
import java.util.LinkedList;
import org.omg.PortableServer.POA;

/** Which of the idle dispatchers a request wakes. */
enum Wakes {

    /** The one that was idle last: JacORB keeps them on a stack. */
    LAST {
        @Override
        void set(POA poa) {
        }
    },

    /** The one that has been idle longest: a queue takes the place of the stack, which JacORB has no switch for. */
    LONGEST {
        @Override
        void set(POA poa) throws ReflectiveOperationException {
            Object manager = value(value(poa, "requestController"), "poolManager");
            Field pool = field(manager.getClass(), "pool");
            pool.set(manager, new Queue((LinkedList<?>) pool.get(manager)));
        }
    };

    /** Before a POA's first request, as dispatchers that are idle by then would be lost. */
    abstract void set(POA poa) throws ReflectiveOperationException;

    private static Object value(Object of, String name) throws ReflectiveOperationException {
        return field(of.getClass(), name).get(of);
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Field field : one.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException(type.getName() + " has no " + name + ": this is another release of JacORB");
    }

    private static final class Queue extends LinkedList<Object> {

        private static final long serialVersionUID = 1L;

        Queue(LinkedList<?> idle) {
            super(idle);
        }

        @Override
        public void addFirst(Object dispatcher) {
            addLast(dispatcher);
        }
    }
}
