SELECT * INTO OUTFILE '@FOUND@' FROM (SELECT 'one' AS name, client, n, part, digest FROM @SCHEMA@.one UNION ALL SELECT 'left_half', client, n, 0, digest FROM @SCHEMA@.left_half UNION ALL SELECT 'right_half', client, n, 0, digest FROM @SCHEMA@.right_half) AS found;
SELECT 'done' INTO OUTFILE '@FOUND@.done';
