SELECT
    CONCAT('SHOW CREATE TABLE @SCHEMA@.`', REPLACE(t.table_name, '`', '``'), '`;'),
    CONCAT(
        'SELECT ', QUOTE(t.table_name),
        IFNULL(CONCAT(', ', GROUP_CONCAT('QUOTE(`', REPLACE(c.column_name, '`', '``'), '`)' ORDER BY c.ordinal_position SEPARATOR ', ')), ''),
        ' FROM @SCHEMA@.`', REPLACE(t.table_name, '`', '``'), '` ORDER BY id;'
    )
FROM information_schema.tables AS t
LEFT JOIN information_schema.columns AS c ON c.table_schema = '@SCHEMA@' AND c.table_name = t.table_name
WHERE t.table_schema = '@SCHEMA@'
GROUP BY t.table_name
ORDER BY t.table_name
