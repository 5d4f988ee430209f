package perfstudies.flight.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads CSV files with a header line and, where need be, quoted fields. */
final class Csv {

    private Csv() {
    }

    /**
     * The rows of a file after its header.
     *
     * @throws DataException if the header is another one, or a row has another number of fields
     */
    static List<Row> read(Path file, String header) throws IOException, DataException {
        List<Row> rows = new ArrayList<>();
        int width = header.split(",").length;
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            if (!header.equals(reader.readLine())) {
                throw new DataException(file + ":1: the header must be " + header);
            }
            int number = 1;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                List<String> fields = split(line);
                if (fields.size() != width) {
                    throw new DataException(file + ":" + number + ": " + fields.size() + " fields instead of " + width);
                }
                rows.add(new Row(file + ":" + number, fields));
            }
        }
        return rows;
    }

    /** A row, and the place where it stands for a message about it. */
    record Row(String place, List<String> fields) {

        String field(int index) {
            return fields.get(index);
        }
    }

    /** Splits a line at the commas outside quotes; within quotes, two stand for one. */
    static List<String> split(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                boolean escaped = quoted && i + 1 < line.length() && line.charAt(i + 1) == '"';
                if (escaped) {
                    field.append('"');
                    i++;
                } else {
                    quoted = !quoted;
                }
            } else if (c == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
