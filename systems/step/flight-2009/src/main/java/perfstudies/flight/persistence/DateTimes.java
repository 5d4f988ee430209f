package perfstudies.flight.persistence;

import java.io.Serializable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.Iterator;
import org.hibernate.cfg.Configuration;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.SimpleValue;
import org.hibernate.usertype.UserType;

/** Stores dates with times as time stamps: their type is younger than Hibernate 3, which would store bytes. */
public final class DateTimes implements UserType {

    /** Has all properties of the domain that are dates with times stored so. */
    static void apply(Configuration configuration) {
        for (Iterator<?> types = configuration.getClassMappings(); types.hasNext();) {
            PersistentClass type = (PersistentClass) types.next();
            for (Iterator<?> properties = type.getPropertyIterator(); properties.hasNext();) {
                Property property = (Property) properties.next();
                if (property.getValue() instanceof SimpleValue value && isDateTime(value)) {
                    value.setTypeName(DateTimes.class.getName());
                }
            }
        }
    }

    private static boolean isDateTime(SimpleValue value) {
        return LocalDateTime.class.getName().equals(value.getTypeName());
    }

    @Override
    public int[] sqlTypes() {
        return new int[] {Types.TIMESTAMP};
    }

    @Override
    public Class<LocalDateTime> returnedClass() {
        return LocalDateTime.class;
    }

    @Override
    public boolean equals(Object one, Object other) {
        return one == null ? other == null : one.equals(other);
    }

    @Override
    public int hashCode(Object value) {
        return value.hashCode();
    }

    @Override
    public Object nullSafeGet(ResultSet row, String[] columns, Object owner) throws SQLException {
        Timestamp stored = row.getTimestamp(columns[0]);
        return stored == null ? null : stored.toLocalDateTime();
    }

    @Override
    public void nullSafeSet(PreparedStatement statement, Object value, int index) throws SQLException {
        statement.setTimestamp(index, value == null ? null : Timestamp.valueOf((LocalDateTime) value));
    }

    @Override
    public Object deepCopy(Object value) {
        return value;
    }

    @Override
    public boolean isMutable() {
        return false;
    }

    @Override
    public Serializable disassemble(Object value) {
        return (Serializable) value;
    }

    @Override
    public Object assemble(Serializable cached, Object owner) {
        return cached;
    }

    @Override
    public Object replace(Object original, Object target, Object owner) {
        return original;
    }
}
