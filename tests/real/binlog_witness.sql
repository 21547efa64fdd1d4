CREATE PROCEDURE witness(IN my_client INT, IN first_n BIGINT, IN last_n BIGINT)
BEGIN
  DECLARE my_n BIGINT DEFAULT first_n;
  WHILE my_n <= last_n DO
    CASE my_n MOD 10
    WHEN 1 THEN
      START TRANSACTION;
      INSERT INTO one VALUES (my_client, my_n, 0);
      COMMIT;
    WHEN 2 THEN
      INSERT INTO one VALUES (my_client, my_n, 0), (my_client, my_n, 1), (my_client, my_n, 2);
    WHEN 3 THEN
      START TRANSACTION;
      INSERT INTO one VALUES (my_client, my_n, 0);
      INSERT INTO one VALUES (my_client, my_n, 1), (my_client, my_n, 2);
      COMMIT;
    WHEN 4 THEN
      START TRANSACTION;
      INSERT INTO left_half VALUES (my_client, my_n);
      INSERT INTO right_half VALUES (my_client, my_n);
      COMMIT;
    ELSE
      INSERT INTO one VALUES (my_client, my_n, 0);
    END CASE;
    SET my_n = my_n + 1;
  END WHILE;
END
